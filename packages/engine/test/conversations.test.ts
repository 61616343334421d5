import { expect } from 'chai';
import type { Document } from 'mongodb';
import { openEngine, type TestEngine } from './support/engine.js';
import { CONVERSATIONS } from './tables/conversations.js';

describe('embedded engine: sequences of commands', () => {
  let engine: TestEngine;
  before(async () => {
    engine = await openEngine();
  });
  beforeEach(() => engine.db.dropDatabase());
  after(() => engine.close());

  /** The response or its error, of the command or of its first statement. */
  const ask = async (command: Document): Promise<{ reply: Document; code: unknown }> => {
    try {
      const reply = await engine.db.command(command);
      return { reply, code: reply['writeErrors']?.[0].code };
    } catch (error) {
      return { reply: error as Document, code: (error as Document)['code'] };
    }
  };

  for (const [title, steps] of Object.entries(CONVERSATIONS)) {
    it(title, async () => {
      for (const [given, wanted, part] of steps) {
        const command = typeof given === 'function' ? given() : given;
        const { reply, code } = await ask(command);
        const shown = JSON.stringify(command).slice(0, 300);
        if (part === undefined) expect(code, `${shown}: ${reply['message']}`).to.equal(wanted);
        else expect(part(reply), shown).to.deep.equal(wanted);
      }
    });
  }
});
