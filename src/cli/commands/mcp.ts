import type { Writable } from 'node:stream';
import type { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { fromSdk } from '../../mcp/sdk.js';
import { note, onStdoutClosed, takeStdout } from '../../terminal/output.js';
import { type CommandLine, command } from '../command.js';
import type { Globals } from '../globals.js';
import { withProject } from '../with-project.js';

interface Options {
  readonly token?: string;
}

/** `mangrove mcp`: serves tools for agents over stdin and stdout. */
export const mcp = command({
  name: 'mcp',
  does: 'run tools for AI agents (Model Context Protocol) over stdin and stdout',
  options: [['--token <key>', 'the API token whose permissions the agent gets (default: MANGROVE_TOKEN)']],
  help: `
An MCP host starts this command and communicates with it over stdin and stdout; messages for people go to stderr. The tools list and
describe content types, and find, read, create, change, publish and delete entries. Writes go to the draft unless the agent says
otherwise, and every write supports a dry run. The agent has the permissions of the token; without one, those of the public role.

The project of --root is served in place, even while a server is running; a server with server.mcp.enabled has the same tools at /mcp.
This requires the package @modelcontextprotocol/sdk (npm install @modelcontextprotocol/sdk).

A token with just these permissions:
  $ mangrove token create agent --type custom --allow api::article.article.find api::article.article.update

Claude Code:
  $ claude mcp add mangrove --env MANGROVE_TOKEN=<key> -- npx mangrove --root /path/to/project mcp
Claude Desktop, Cursor and others (claude_desktop_config.json, .cursor/mcp.json, …):
  { "mcpServers": { "mangrove": { "command": "npx", "args": ["mangrove", "--root", "/path/to/project", "mcp"],
      "env": { "MANGROVE_TOKEN": "<key>" } } } }
VS Code (.vscode/mcp.json):
  { "servers": { "mangrove": { "type": "stdio", "command": "npx", "args": ["mangrove", "mcp"], "env": { "MANGROVE_TOKEN": "<key>" } } } }

Examples:
  $ mangrove mcp`,
  async run(call: CommandLine<Options>) {
    const { token = process.env['MANGROVE_TOKEN'] } = call.options;
    const stdout = takeStdout();
    const authorization = token ? `Bearer ${token}` : undefined;
    await serveHere(call, authorization, stdout);
    return undefined;
  },
});

const openTransport = (stdout: Writable): Promise<StdioServerTransport> =>
  fromSdk(async () => {
    const { StdioServerTransport } = await import('@modelcontextprotocol/sdk/server/stdio.js');
    return new StdioServerTransport(process.stdin, stdout);
  });

/** Resolves when the host closes stdin, reads no answers any more or terminates this process. */
const untilClosed = (transport: StdioServerTransport): Promise<void> =>
  new Promise((resolve) => {
    const { onclose } = transport;
    transport.onclose = () => {
      onclose?.();
      resolve();
    };
    const close = (): void => void transport.close();
    process.stdin.once('end', close);
    process.stdin.once('close', close);
    onStdoutClosed(close);
    process.once('SIGINT', close);
    process.once('SIGTERM', close);
  });

async function serveHere(call: Globals, authorization: string | undefined, stdout: Writable): Promise<void> {
  const { localServer } = await import('../../http/mcp/local.js');
  const transport = await openTransport(stdout);
  await withProject(call, async (project) => {
    const identity = await project.access.identify(authorization);
    const server = await localServer({ ...project, ready: async () => true }, authorization);
    await server.connect(transport);
    note(`Tools for agents of ${call.root}, as ${AS[identity.kind]}`);
    await untilClosed(transport);
    await server.close();
  });
}

const AS = { public: 'the public role', token: 'the token', user: 'the signed-in user' } as const;
