import { reasonOf } from '../values/reason-of.js';
import type { PluginRoutes } from './extension.js';
import type { Live } from './live.js';
import type { CodeRoute } from './types.js';
import type { Unsupported } from './unsupported.js';

/**
 * Says which routes are closed: built-in ones by what extensions changed, the code's own if a handler, policy or
 * middleware does not exist.
 */
export async function tellClosed(
  { record, unsupported }: Live,
  routes: readonly CodeRoute[],
  pluginRoutes: PluginRoutes,
  closedFor: (action: string) => Unsupported | null,
): Promise<void> {
  for (const { method, path, action } of pluginRoutes) {
    const closed = action === null ? null : closedFor(action);
    if (!closed) continue;
    const route = `${method.toUpperCase()} ${path}`;
    record({ name: 'route-unsupported', route, reason: closed.message });
    await unsupported.note(route, closed.message);
  }
  for (const { method, path, closed, handler, file } of routes) {
    const route = `${method.toUpperCase()} ${path}`;
    try {
      handler();
      if (closed) record({ name: 'route-closed', route, reason: closed.because });
    } catch (error) {
      record({ name: 'route-closed', route, reason: `${file}: ${reasonOf(error)}` });
    }
  }
}
