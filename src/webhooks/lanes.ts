import { dropDeliveries } from '../store/webhooks/deliveries.js';
import type { Endpoint } from './endpoint.js';
import { Lane, type LaneParts } from './lane.js';

/** The lanes of all endpoints. */
export class Lanes {
  private readonly lanes = new Map<string, Lane>();
  /** Those of the moment. */
  endpoints: readonly Endpoint[] = [];

  /** @param signal see `Lane` */
  constructor(
    private readonly parts: LaneParts,
    private readonly signal: AbortSignal,
  ) {}

  /** Opens and closes lanes as the endpoints are now. */
  async follow(endpoints: readonly Endpoint[]): Promise<void> {
    this.endpoints = endpoints;
    for (const endpoint of endpoints) {
      const lane = this.lanes.get(endpoint.name);
      if (lane) lane.change(endpoint);
      else this.lanes.set(endpoint.name, new Lane(endpoint, this.parts, this.signal));
    }
    for (const [name, lane] of this.lanes)
      if (!endpoints.some((endpoint) => endpoint.name === name)) {
        this.lanes.delete(name);
        await lane.stop();
        // What was queued since it was removed.
        await dropDeliveries(this.parts.store.db, name);
      }
  }

  /** There are new deliveries to these endpoints. */
  wake(names: Iterable<string>): void {
    for (const name of names) this.lanes.get(name)?.wake();
  }

  async stop(): Promise<void> {
    await Promise.all([...this.lanes.values()].map((lane) => lane.stop()));
  }
}
