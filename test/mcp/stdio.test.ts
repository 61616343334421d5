/** `mangrove mcp` as a host starts it, called by the SDK's own client. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { expect } from 'chai';
import { openProject } from '../../src/project.js';
import { compiled } from '../support/compiled.js';
import { typeFile } from '../support/schemas.js';
import { linkMangrove, writeFiles } from '../support/write-files.js';
import { at, use } from './client.js';

const MAIN = compiled('src/cli/main.ts');
const NOTE = 'api::note.note';

describe('mangrove mcp', function () {
  this.timeout(180_000);
  let root: string;
  let token: string;
  const name = `stdio_${process.pid}_${Date.now().toString(36)}`;

  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'mangrove-stdio-'));
    const note = typeFile('note', { title: { type: 'string' }, hidden: { type: 'string', private: true } });
    await writeFiles(root, {
      'content-types/note/schema.json': note.content,
      'config/database.json': {
        name,
        ...(process.env['MONGODB_URI'] && { uri: process.env['MONGODB_URI'] }),
      },
      'src/index.js': `import { defineProject } from 'mangrove';
if (process.argv.includes('mcp')) console.log('printed by the project');
export default defineProject({});`,
      'package.json': { type: 'module' },
    });
    await linkMangrove(root);
    const project = await openProject({ root, env: {} });
    const permissions = ['find', 'findOne', 'create'].map((action) => `${NOTE}.${action}`);
    token = (await project.access.tokens.create({ name: 'agent', type: 'custom', permissions })).key;
    await project.documents(NOTE).create({ data: { title: 'One', hidden: 'quiet' } });
    await project.close();
  });
  after(async () => {
    const project = await openProject({ root, env: {} });
    await project.store.db.dropDatabase();
    await project.close();
    await rm(root, { recursive: true, force: true });
  });

  const argsOf = (args: readonly string[]): string[] => [MAIN, '--root', root, 'mcp', ...args];
  const environment = (more: Record<string, string> = {}): Record<string, string> => ({
    ...(process.env as Record<string, string>),
    ...more,
  });

  const start = async (args: readonly string[], env: Record<string, string> = {}) => {
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: argsOf(args),
      env: environment(env),
      stderr: 'pipe',
    });
    const stderr = transport.stderr ? text(transport.stderr as never) : Promise.resolve('');
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(transport as never);
    return { client, stderr };
  };

  it('serves the project in its folder, with the grants of the token, and exits with its host', async () => {
    const { client, stderr } = await start([], { MANGROVE_TOKEN: token });
    expect(client.getServerVersion()).to.include({ name: 'mangrove' });
    expect(client.getInstructions()).to.match(/list_types/);
    const { tools } = await client.listTools();
    expect(tools.map((tool) => tool.name)).to.deep.equal([
      'list_types',
      'describe_type',
      'find',
      'get',
      'create',
    ]);
    const found = await use(client, 'find', { type: NOTE, filters: { title: 'One' } });
    expect(at(found.body, 'meta.pagination.total')).to.equal(1);
    expect(JSON.stringify(found.body)).to.not.include('quiet');
    const dry = await use(client, 'create', { type: NOTE, data: { title: 'Two' }, dryRun: true });
    expect(at(dry.body, 'changes.0.change')).to.equal('create');
    const made = await use(client, 'create', { type: NOTE, data: { title: 'Two' } });
    expect(at(made.body, 'data.title')).to.equal('Two');
    const refused = await use(client, 'delete', {
      type: NOTE,
      documentId: String(at(made.body, 'data.documentId')),
    });
    expect(refused.body).to.have.property('code', 'forbidden');
    await client.close();
    expect(await stderr)
      .to.match(/Tools for agents of .*, as the token/)
      .and.include('printed by the project');
  });

  it('exits when stdin ends, and reports why it cannot start', async () => {
    const run = async (args: readonly string[]) => {
      const child = spawn(process.execPath, argsOf(args), { env: environment() });
      child.stdin.end();
      const [stdout, stderr, [code]] = await Promise.all([
        text(child.stdout),
        text(child.stderr),
        once(child, 'exit'),
      ]);
      return { stdout, stderr, code };
    };
    const [ended, unknown] = [await run([]), await run(['--token', 'nobody'])];
    expect([ended.code, ended.stdout]).to.deep.equal([0, '']);
    expect(ended.stderr).to.include('as the public role');
    expect([unknown.code, unknown.stdout]).to.deep.equal([1, '']);
    expect(unknown.stderr).to.include('Missing or invalid credentials');
  });

  it('ends as usual if nobody reads its answers any more; what it was told is done', async () => {
    const child = spawn(process.execPath, argsOf([]), { env: environment({ MANGROVE_TOKEN: token }) });
    const stderr = text(child.stderr);
    const exited = once(child, 'exit');
    const say = (message: object): void => {
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
    };
    const clientInfo = { name: 'test', version: '1' };
    say({
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo },
    });
    await once(child.stdout, 'data');
    child.stdout.destroy();
    say({ method: 'notifications/initialized' });
    const call = { name: 'create', arguments: { type: NOTE, data: { title: 'Unread' } } };
    say({ id: 2, method: 'tools/call', params: call });
    expect(await exited).to.deep.equal([0, null]);
    expect(await stderr).not.to.match(/EPIPE/);
    const project = await openProject({ root, env: {} });
    const found = await project.documents(NOTE).findMany({ filters: { title: 'Unread' } });
    await project.close();
    expect(found).to.have.length(1);
  });
});
