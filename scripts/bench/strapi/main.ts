/**
 * Compares a Strapi with a Mangrove that serves the same content:
 *   npm run bench:strapi -- --url http://localhost:1337 --mangrove http://localhost:1338 --types articles,authors
 */
import { Command } from 'commander';
import { compare, type Row } from './compare.js';

const values = new Command('npm run bench:strapi --')
  .description('Sends the same requests to a Strapi and a Mangrove that hold the same content, in turns.')
  .requiredOption('--url <address>', 'the Strapi: http://localhost:1337')
  .option('--mangrove <address>', 'the Mangrove', 'http://localhost:1338')
  .requiredOption('--types <names>', 'plural names of content types, as in their addresses: articles,authors')
  .option('--token <token>', "an API token of the Strapi's")
  .option('--mangrove-token <token>', "an API token of Mangrove's; the Strapi's if absent")
  .option('--pid <id>', "the Strapi's process on this machine (Linux), for its CPU time", Number)
  .option('--mangrove-pid <id>', "Mangrove's", Number)
  .option('--connections <numbers>', 'clients at a time', '1,32')
  .option('--seconds <number>', 'how long each server is asked each request', '3')
  .option(
    '--write',
    'PUT, too: a value that is there already is written again, and the entry published',
    false,
  )
  .option('--json <file>', 'writes the figures to a file, too')
  .parse()
  .opts<{
    url: string;
    mangrove: string;
    types: string;
    token?: string;
    mangroveToken?: string;
    pid?: number;
    mangrovePid?: number;
    connections: string;
    seconds: string;
    write: boolean;
    json?: string;
  }>();

/** Seconds that each server is asked each request before it is measured. */
const WARM_UP = 2;
const WIDTHS = [30, 5, 13, 9, 9, 9, 13, 9, 9, 9, 7];
const line = (cells: readonly string[]): string =>
  cells
    .map((cell, at) => (at === 0 ? cell.padEnd(WIDTHS[at] ?? 0) : cell.padStart(WIDTHS[at] ?? 0)))
    .join('');
const shown = ({ name, strapi, mangrove, ratio }: Row, connections: number): string =>
  line([
    name,
    String(connections),
    ...[strapi, mangrove].flatMap(({ perSecond, p50, p99, cpu }) => [
      perSecond.toFixed(perSecond < 100 ? 1 : 0),
      p50.toFixed(1),
      p99.toFixed(1),
      cpu?.toFixed(2) ?? '-',
    ]),
    `${ratio.toFixed(1)} x`,
  ]);

const say = (text: string): void => void process.stdout.write(`${text}\n`);
const { url, mangrove, types, token, mangroveToken, pid, mangrovePid, connections, seconds, write, json } =
  values;
const rows: object[] = [];
try {
  for (const type of types.split(',')) {
    say(`\n${type}`);
    const columns = ['p50 ms', 'p99 ms', 'CPU ms'];
    say(line(['request', 'conn', 'Strapi req/s', ...columns, 'Mangrove', ...columns, 'ratio']));
    for (const count of connections.split(',').map(Number)) {
      const compared = compare({
        strapi: { url, token: token ?? null, pid: pid ?? null },
        mangrove: { url: mangrove, token: mangroveToken ?? token ?? null, pid: mangrovePid ?? null },
        type,
        connections: count,
        seconds: Number(seconds),
        warmUp: WARM_UP,
        writes: write,
      });
      for await (const row of compared) {
        say(shown(row, count));
        rows.push({ type, connections: count, ...row });
      }
    }
  }
  if (json) {
    const { writeFile } = await import('node:fs/promises');
    await writeFile(json, JSON.stringify(rows, null, 2));
  }
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
