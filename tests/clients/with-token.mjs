// Preloaded into a client that can't be told a bearer token: each of its requests carries the one in TOKEN, whether it
// goes out by fetch, by undici or by node:http.

import { Agent } from 'node:http'
import { getGlobalDispatcher, setGlobalDispatcher } from 'undici'

const authorization = `Bearer ${process.env.TOKEN}`

const withToken = (headers) => (Array.isArray(headers) ? [...headers, 'authorization', authorization] : { ...headers, authorization })

setGlobalDispatcher(
  getGlobalDispatcher().compose((dispatch) => (options, handler) =>
    dispatch({ ...options, headers: withToken(options.headers) }, handler)),
)

const addRequest = Agent.prototype.addRequest
Agent.prototype.addRequest = function (request, ...rest) {
  request.setHeader('authorization', authorization)
  return addRequest.call(this, request, ...rest)
}
