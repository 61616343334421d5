/** Milliseconds that a finished run may take to close what its last tests opened. */
const PATIENCE = 20_000;

/** If something prevents the run from ending, prints what it is, and exits with the tests' own exit code. */
export function mochaGlobalTeardown(): void {
  const stop = (): void => {
    console.error(`Still open after the last test: ${process.getActiveResourcesInfo().join(', ')}`);
    process.exit();
  };
  setTimeout(stop, PATIENCE).unref();
}
