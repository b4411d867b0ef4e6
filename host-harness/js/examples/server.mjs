// A whole MCP server: guarded delete tools over a SQLite file. `node server.mjs FILE ACTOR`
import { randomUUID } from 'node:crypto';
import { Server, inputRequired } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import Database from 'better-sqlite3';
import { createTools } from 'deletegate';
import { sqliteBridge } from 'deletegate/better-sqlite3';

const [file, actor] = process.argv.slice(2);
const lend = sqliteBridge(new Database(file), {
  task: {
    fields: [
      { name: 'id', type: 'integer' },
      { name: 'title', type: 'text', nullable: true },
      { name: 'owner', type: 'text' },
      { name: 'done', type: 'boolean' },
    ],
    key: ['id'],
    label: 'title',
    visible: 'owner = :actor',
  },
});
const tools = await createTools({
  bridge: lend({ actor }),
  settings: {
    target: { name: file },
    objects: ['task'],
    // Whoever deletes tasks is asked, and types how many.
    rules: [{ object: 'task', consent: 'typed' }],
  },
});

/** The questions that are open: each is answered once, and a question that nobody asked has no answer. */
const open = new Map();

function toMcp(reply) {
  if (reply.outcome === 'unknown-tool') throw new Error('no such tool');
  if (reply.outcome === 'asks') {
    const requestState = randomUUID();
    open.set(requestState, reply.asked);
    const { message, typed } = reply.question;
    const properties = typed ? { typed: { type: 'string', title: typed.description } } : {};
    const requestedSchema = { type: 'object', properties, required: Object.keys(properties) };
    return inputRequired({ requestState, inputRequests: { question: inputRequired.elicit({ message, requestedSchema }) } });
  }
  const { failed, json, answer } = reply;
  const content = [{ type: 'text', text: json }];
  return failed ? { content, isError: true } : { content, structuredContent: answer };
}

async function call({ params: { name, arguments: given } }, { mcpReq }) {
  const state = mcpReq.requestState?.();
  const asked = open.get(state);
  open.delete(state);
  const answer = mcpReq.inputResponses?.question;
  if (!asked || !answer) return toMcp(await tools.callTool({ name, arguments: given }));
  const approval = { action: answer.action, typed: answer.content?.typed, asked };
  return toMcp(await tools.callTool({ name, arguments: given, approval }));
}

serveStdio(() => {
  const server = new Server({ name: 'tasks', version: '1.0.0' }, { capabilities: { tools: {} } });
  server.setRequestHandler('tools/list', async () => ({ tools: await tools.listTools() }));
  server.setRequestHandler('tools/call', call);
  return server;
});
