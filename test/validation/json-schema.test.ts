/** The schemas that bodies are validated by. */
import { expect } from 'chai';
import { blocksSchema } from '../../src/documents/validate/blocks-schema.js';
import { componentItemSchema, modelSchema } from '../../src/documents/validate/json-schema.js';
import { createAjv } from '../../src/documents/validate/keywords.js';
import { loadSchema } from '../../src/schema/load.js';
import { FIXTURE } from '../support/test-server.js';

describe('schemas of bodies', () => {
  it('are what JSON Schema allows, of all types and in all variants', async () => {
    const schema = await loadSchema({ folder: `${FIXTURE}/schemas` });
    const ajv = createAjv();
    const wrong: unknown[] = [];
    const check = (made: object): void => {
      if (!ajv.validateSchema(made)) wrong.push(made, ajv.errors);
    };
    check(blocksSchema);
    for (const mode of ['draft', 'published'] as const)
      for (const partial of [false, true])
        for (const strictRelations of [false, true]) {
          const options = { mode, partial, strictRelations };
          for (const type of schema.contentTypes.values()) check(modelSchema(type, schema, options));
          for (const component of schema.components.values())
            check(componentItemSchema(component, schema, options));
        }
    expect(wrong).to.deep.equal([]);
    expect(ajv.validateSchema({ minLength: '5' })).to.equal(false);
  });
});
