// The same as client.py, on the `@modelcontextprotocol/client` package.

import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'

const requests = createInterface({ input: process.stdin })[Symbol.asyncIterator]()
const opening = JSON.parse((await requests.next()).value)

const client = new Client(
  { name: 'deletegate-tests', version: '1' },
  {
    capabilities: opening.elicitation ? { elicitation: { form: {} } } : {},
    versionNegotiation: { mode: opening.mode },
  },
)

let asked = []
let plan = {}
if (opening.elicitation) {
  client.setRequestHandler('elicitation/create', async ({ params }) => {
    const { list_first, after_ms, fail, action, typed } = plan
    asked.push({ message: params.message, schema: params.requestedSchema })
    if (list_first) await client.listTools()
    if (after_ms) await sleep(after_ms)
    if (fail) throw new Error("this client can't show a form after all")
    return typed === undefined ? { action } : { action, content: { confirmation: typed } }
  })
}

function transport() {
  if (opening.command) {
    const [command, ...args] = opening.command
    return new StdioClientTransport({ command, args })
  }
  const requestInit = { headers: { Authorization: `Bearer ${opening.token}` } }
  return new StreamableHTTPClientTransport(new URL(opening.url), { requestInit })
}

async function step(request) {
  if (request.list) return { tools: (await client.listTools()).tools }
  asked = []
  plan = request.answer ?? {}
  const progress = []
  const options = {}
  if (request.timeout_ms) options.timeout = request.timeout_ms
  if (request.progress) options.onprogress = ({ progress: at, total }) => progress.push([at, total])
  const told = {}
  try {
    told.result = await client.callTool(request.call, options)
  } catch (error) {
    told.error = { code: error.code ?? null, message: error.message }
  }
  return { ...told, asked, progress }
}

function say(answer) {
  process.stdout.write(`${JSON.stringify(answer)}\n`)
}

await client.connect(transport())
say({ version: client.getNegotiatedProtocolVersion() })
for await (const line of { [Symbol.asyncIterator]: () => requests }) say(await step(JSON.parse(line)))
await client.close()
