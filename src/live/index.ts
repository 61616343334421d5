/** Live lists: reads of content whose answers are kept up to date over a stream of events (docs/in-time.md). */
export { Live, type LiveOptions } from './live.js';
export type { LiveRead } from './live-list.js';
