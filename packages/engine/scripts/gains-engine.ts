import { serveOwned } from '../src/serve-owned.js';
import { DEFAULT_LIMITS } from '../src/values/limits.js';
import { type Shortcut, shortcutsWith } from '../src/values/shortcuts.js';

/** An engine in a process of its own, for `gains.ts`: it switches shortcuts while it runs, and tells its CPU time. */
export type Message = { readonly off: readonly Shortcut[] } | 'cpu';

const dataDir = process.argv[2] as string;
const shortcuts = shortcutsWith();
const on: Record<string, boolean> = shortcuts.on;
const settings = { version: 7, limits: DEFAULT_LIMITS, shortcuts };
const { uri } = await serveOwned({
  dataDir,
  address: { socketPath: `${dataDir}/s.sock` },
  durable: false,
  settings,
  credentials: undefined,
});
process.on('message', (message: Message) => {
  if (message === 'cpu') {
    const { user, system } = process.cpuUsage();
    process.send?.(user + system);
    return;
  }
  for (const name of Object.keys(on)) on[name] = !message.off.includes(name as Shortcut);
  process.send?.('switched');
});
process.send?.(uri);
