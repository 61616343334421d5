import { recordLateErrors } from './late-errors.js';
import { stopOnSignal } from './stop-on-signal.js';

/** Options of a server started from the command line. */
interface RunOptions {
  readonly root: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly agreed: boolean;
  readonly ignoreCode: true | readonly string[] | null;
  /** What the first start seeds from; null: nothing. */
  readonly seed: string | null;
}

/** Serves until stopped. */
export async function run({ root, env, agreed, ignoreCode, seed }: RunOptions): Promise<void> {
  const { startServing } = await import('./index.js');
  const { printGreeting } = await import('../terminal/output.js');
  const serving = await startServing({
    root,
    env,
    agreed,
    ...(ignoreCode !== null && { overrides: { code: { ignore: ignoreCode } } }),
    ...(seed !== null && { seed }),
    restores: true,
    print: printGreeting,
  });
  recordLateErrors(serving);
  stopOnSignal(() => serving.stop(true));
}
