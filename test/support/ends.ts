/** Milliseconds that a finished run may take to close what its last tests opened. */
const PATIENCE = 20_000;

/** A run that something keeps from ending says what it is, and ends with the tests' own exit code. */
export function mochaGlobalTeardown(): void {
  const stop = (): void => {
    console.error(`Still open after the last test: ${process.getActiveResourcesInfo().join(', ')}`);
    process.exit();
  };
  setTimeout(stop, PATIENCE).unref();
}
