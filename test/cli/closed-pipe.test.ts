/** Whoever reads the output of a command stops early. */
import { spawnSync } from 'node:child_process';
import { expect } from 'chai';
import { compiled } from '../support/compiled.js';

const MAIN = compiled('src/cli/main.ts');

describe('a command whose output is no longer read', function () {
  this.timeout(180_000);
  const piped = (args: string) =>
    spawnSync('bash', ['-c', `"${process.execPath}" "${MAIN}" ${args} | true; echo "$PIPESTATUS"`], {
      encoding: 'utf8',
    });

  it('ends with its own exit code, and prints nothing about it', () => {
    // Each prints after `true` has ended.
    const { stdout, stderr } = piped('--help');
    expect({ stdout, stderr }).to.deep.equal({ stdout: '0\n', stderr: '' });
    const failed = piped('check --json --root /nowhere');
    expect(failed.stdout).to.equal('1\n');
    expect(failed.stderr).to.not.include('EPIPE');
  });
});
