import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { expect } from 'chai';
import { loadMongoose } from '../../src/adopt/load-mongoose.js';

const USER = `
import mongoose, { Schema } from 'mongoose';
const address = new Schema({ street: String, no: { type: Number, required: true } }, { _id: false });
const LEVELS = ['low', 'high'];
export const userSchema = new mongoose.Schema<IUser>({
  name: { type: String, required: [true, 'say it'], maxlength: [40, 'too long'] },
  level: { type: String, enum: LEVELS },
  age: { type: Number, min: 0, max: 150 },
  born: Date,
  active: Boolean,
  boss: { type: Schema.Types.ObjectId, ref: 'User' },
  tags: [String],
  addresses: [address],
  home: address,
  nested: { deep: { type: 'String' }, type: { type: String } },
  any: Schema.Types.Mixed,
  when: { type: Date, default: Date.now, required: () => true },
}, { timestamps: true });
export default mongoose.model<IUser>('User', userSchema);
`;
const ORDER = `
const { Schema, model } = require('mongoose');
module.exports = model('Order', new Schema({ total: Number }, { collection: 'sales' }));
model('Line', Schema({ n: Number }), 'order lines');
`;

const SHOP_FILES: Readonly<Record<string, string>> = {
  'schemas/money.ts': `
import { Schema } from 'mongoose';
import { CURRENCIES } from './constants';
export const moneySchema = new Schema({ amount: { type: Schema.Types.Decimal128, required: true }, currency: { type: String, enum: CURRENCIES } });
export const common = { note: String };
export interface Money { amount: number }
`,
  'schemas/constants.ts': `
export const CURRENCIES = ['EUR', 'USD'] as const;
export enum State { New = 'new', Paid = 'paid' }
export const LEVELS = { LOW: 'low', HIGH: 'high' };
`,
  'schemas/index.ts': `export * from './money'; export { State, LEVELS } from './constants.js';`,
  'models/line.js': `
const mongoose = require('mongoose');
const { moneySchema } = require('../schemas');
const line = mongoose.Schema({ thing: { type: mongoose.Schema.Types.ObjectId, ref: 'Thing' }, price: moneySchema });
module.exports = { line };
`,
  'models/customer.mjs': `
import mongoose from 'mongoose';
import { common, LEVELS } from '../schemas/index.js';
const { Schema } = mongoose;
const address = new Schema({ street: String });
const schema = new Schema({ ...common, name: String, home: { type: address }, level: { type: String, enum: Object.values(LEVELS) } });
schema.virtual('purchases', { ref: 'Order', localField: '_id', foreignField: 'buyer' });
export default mongoose.models.Customer || mongoose.model('Customer', schema);
`,
  'models/order.ts': `
import { Schema, model, Types } from 'mongoose';
import * as shared from '../schemas';
import Customer from './customer.mjs';
import lines from './line';
const NAME = 'Order';
const orderSchema: Schema = new Schema({
  ...shared.common,
  buyer: { type: Schema.Types.ObjectId, ref: () => Customer, required: true },
  total: shared.moneySchema,
  state: { type: String, enum: Object.values(shared.State) },
  lines: [lines.line],
});
orderSchema.add({ added: Date });
export const Order = model(NAME, orderSchema);
`,
  'models/thing.js': `
const { Schema, model } = require('mongoose');
const base = new Schema({ title: String, watchers: [{ type: Schema.Types.ObjectId, ref: 'Customer' }] }, { discriminatorKey: 'kind' });
base.discriminator('Film', new Schema({ seconds: Number }));
const Thing = model('Thing', base);
exports.Thing = Thing;
exports.Book = Thing.discriminator('Book', new Schema({ pages: Number }));
`,
};

/** A folder in which Mongoose is installed. */
async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'mangrove-mongoose-'));
  await symlink(resolve('node_modules'), join(folder, 'node_modules'));
  return folder;
}

describe('Mongoose models', () => {
  let folder: string;
  before(async () => {
    folder = await newFolder();
    await mkdir(join(folder, 'models'));
    await writeFile(join(folder, 'models', 'user.ts'), USER);
    await writeFile(join(folder, 'order.js'), ORDER);
    await writeFile(join(folder, 'broken.js'), 'model( {');
    await writeFile(join(folder, 'notes.md'), 'model');
  });
  after(() => rm(folder, { recursive: true, force: true }));

  it('are described as the JSON Schema of their collections', async () => {
    const { rules, unread } = await loadMongoose(folder);
    const address = {
      bsonType: 'object',
      properties: { street: { bsonType: 'string' }, no: { bsonType: 'number' } },
      required: ['no'],
    };
    expect(Object.fromEntries(rules)).to.deep.equal({
      users: {
        bsonType: 'object',
        properties: {
          name: { bsonType: 'string', maxLength: 40 },
          level: { bsonType: 'string', enum: ['low', 'high'] },
          age: { bsonType: 'number', minimum: 0, maximum: 150 },
          born: { bsonType: 'date' },
          active: { bsonType: 'bool' },
          boss: { bsonType: 'objectId' },
          tags: { bsonType: 'array', items: { bsonType: 'string' } },
          addresses: { bsonType: 'array', items: address },
          home: address,
          nested: {
            bsonType: 'object',
            properties: { deep: { bsonType: 'string' }, type: { bsonType: 'string' } },
          },
          any: {},
          when: { bsonType: 'date' },
          createdAt: { bsonType: 'date' },
          updatedAt: { bsonType: 'date' },
        },
        required: ['name'],
      },
      sales: { bsonType: 'object', properties: { total: { bsonType: 'number' } } },
      'order lines': { bsonType: 'object', properties: { n: { bsonType: 'number' } } },
    });
    expect(unread).to.have.lengthOf(1);
    expect(unread[0]).to.match(/^broken\.js: /);
  });

  it('are loaded in a process of their own, which ends whatever they leave behind', async () => {
    const apart = await newFolder();
    await writeFile(
      join(apart, 'thing.js'),
      `const mongoose = require('mongoose');
      setInterval(() => undefined, 1000);
      require('node:http').createServer().listen(0);
      mongoose.connect('mongodb://127.0.0.1:1/none').catch(() => undefined);
      mongoose.model('Thing', new mongoose.Schema({ name: String, other: { type: 'ObjectId', ref: 'Thing' } }));`,
    );
    const { rules, declared, unread } = await loadMongoose(apart);
    expect(Object.fromEntries(rules)).to.deep.equal({
      things: {
        bsonType: 'object',
        properties: { name: { bsonType: 'string' }, other: { bsonType: 'objectId' } },
      },
    });
    expect(declared).to.deep.equal([{ from: 'things', path: 'other', to: 'things', toPath: '_id' }]);
    expect(unread).to.deep.equal([]);
    await writeFile(join(apart, 'thing.js'), 'process.exit(0)');
    const error = await loadMongoose(apart).catch((reason: unknown) => reason);
    expect(String(error)).to.equal(`Error: The files in ${apart} ended the process that loaded them`);
    await rm(apart, { recursive: true, force: true });
  });

  it('are read from CommonJS and ES modules, with the references between them', async () => {
    const shop = await newFolder();
    for (const [name, content] of Object.entries(SHOP_FILES)) {
      await mkdir(join(shop, dirname(name)), { recursive: true });
      await writeFile(join(shop, name), content);
    }
    const { rules, declared, unread } = await loadMongoose(join(shop, 'models'));
    await rm(shop, { recursive: true, force: true });
    expect(unread).to.deep.equal([]);
    const money = {
      bsonType: 'object',
      properties: { amount: { bsonType: 'decimal' }, currency: { bsonType: 'string', enum: ['EUR', 'USD'] } },
      required: ['amount'],
    };
    const text = { bsonType: 'string' };
    expect(Object.fromEntries(rules)).to.deep.equal({
      customers: {
        bsonType: 'object',
        properties: {
          note: text,
          name: text,
          home: { bsonType: 'object', properties: { street: text } },
          level: { bsonType: 'string', enum: ['low', 'high'] },
        },
      },
      orders: {
        bsonType: 'object',
        properties: {
          note: text,
          buyer: { bsonType: 'objectId' },
          total: money,
          state: { bsonType: 'string', enum: ['new', 'paid'] },
          lines: {
            bsonType: 'array',
            items: { bsonType: 'object', properties: { thing: { bsonType: 'objectId' }, price: money } },
          },
          added: { bsonType: 'date' },
        },
        required: ['buyer'],
      },
      things: {
        bsonType: 'object',
        properties: {
          pages: { bsonType: 'number' },
          seconds: { bsonType: 'number' },
          title: text,
          watchers: { bsonType: 'array', items: { bsonType: 'objectId' } },
          kind: { bsonType: 'string', enum: ['Film', 'Book'] },
        },
      },
    });
    expect(declared).to.have.deep.members([
      { from: 'orders', path: 'buyer', to: 'customers', toPath: '_id' },
      { from: 'orders', path: 'lines.thing', to: 'things', toPath: '_id' },
      { from: 'things', path: 'watchers', to: 'customers', toPath: '_id' },
      { from: 'orders', path: 'buyer', to: 'customers', toPath: '_id', inverse: 'purchases' },
    ]);
  });

  it('may contain themselves, and name their references by functions', async () => {
    const own = await newFolder();
    const file = `
const { Schema, model } = require('mongoose');
const node = new Schema({ by: { type: Schema.Types.ObjectId, ref: () => 'Node' }, of: { type: Schema.Types.ObjectId, ref() { return this.kind.name; } }, counts: { type: Map, of: Number } });
node.add({ nodes: [node] });
node.plugin((schema) => schema.add({ plugged: Boolean }));
model('Node', node);
`;
    await writeFile(join(own, 'node.js'), file);
    const { rules, declared, unread } = await loadMongoose(own);
    await rm(own, { recursive: true, force: true });
    expect(unread).to.deep.equal([]);
    expect(rules.get('nodes')).to.have.nested.property(
      'properties.nodes.items.properties.by.bsonType',
      'objectId',
    );
    expect(rules.get('nodes')).to.have.nested.property('properties.plugged.bsonType', 'bool');
    expect(rules.get('nodes')).to.have.nested.property('properties.counts').that.deep.equals({});
    expect(declared).to.deep.include({ from: 'nodes', path: 'by', to: 'nodes', toPath: '_id' });
  });

  it('cannot be read where Mongoose is not installed', async () => {
    const bare = await mkdtemp(join(tmpdir(), 'mangrove-mongoose-'));
    const error = await loadMongoose(bare).catch((reason: unknown) => reason);
    await rm(bare, { recursive: true, force: true });
    expect(String(error)).to.include('cannot be loaded without their mongoose');
  });
});
