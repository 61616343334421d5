import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import Koa from 'koa';
import { type Document, MongoClient } from 'mongodb';
import { floorOf } from './case.js';
import { cases } from './cases.js';
import { serve } from './child.js';

/** The floor: a bare Koa handler that reads the body, runs a case's hand-written commands and stringifies what comes back. */
const [uri = '', database = '', size = '0'] = process.argv.slice(2);
const client = await new MongoClient(uri).connect();
const on = await floorOf(client, database, Number(size));

const sentIn = (request: IncomingMessage): Promise<Document> =>
  new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString();
      resolve(text === '' ? {} : JSON.parse(text).data);
    });
    request.on('error', reject);
  });

const app = new Koa();
app.use(async (ctx) => {
  const [, index = '0', n = '0'] = ctx.path.split('/');
  const found = cases[Number(index)];
  if (!found) return;
  ctx.type = 'application/json';
  ctx.body = JSON.stringify(await found.floor(on, Number(n), await sentIn(ctx.req)));
});
const server = app.listen(0, '127.0.0.1', () => {
  serve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
