import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { readMongoose } from '../../src/adopt/mongoose.js';

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

describe('Mongoose models are read without being run', () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mangrove-mongoose-'));
    await mkdir(join(folder, 'models'));
    await writeFile(join(folder, 'models', 'user.ts'), USER);
    await writeFile(join(folder, 'order.js'), ORDER);
    await writeFile(join(folder, 'broken.js'), 'model( {');
    await writeFile(join(folder, 'notes.md'), 'model');
  });
  after(() => rm(folder, { recursive: true, force: true }));

  it('as the JSON Schema of their collections', async () => {
    const { rules, unread } = await readMongoose(folder);
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
        },
        required: ['name'],
      },
      sales: { bsonType: 'object', properties: { total: { bsonType: 'number' } } },
      'order lines': { bsonType: 'object', properties: { n: { bsonType: 'number' } } },
    });
    expect(unread).to.deep.equal(['broken.js']);
  });
});
