/** Milliseconds that this process has computed in all its threads: of a piece of work it says the same however busy the machine is. */
export const cpuTime = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};
