import { expect } from 'chai';
import { STAGE_NAMES } from '../../src/aggregation/compile-pipeline.js';
import { STAGE_RULES } from '../../src/aggregation/stage-rules.js';
import { SOURCE_STAGES } from '../../src/commands/source-stages.js';

/** Opened by the command itself. */
const ELSEWHERE = ['$changeStream'];

describe('the table of stages', () => {
  it('declares every stage, each of which is compiled, created by the server or rejected by name', () => {
    const missing = Object.keys(STAGE_RULES).filter((name) => STAGE_RULES[name]?.missing);
    const known = [...STAGE_NAMES, ...Object.keys(SOURCE_STAGES), ...missing, ...ELSEWHERE];
    expect(known.sort()).to.deep.equal(Object.keys(STAGE_RULES).sort());
  });
});
