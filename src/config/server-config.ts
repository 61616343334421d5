/** `config/server`: where the server listens, and what it gives each request. */
export interface ServerConfig {
  readonly host: string;
  readonly port: number;
  /** The address that clients use, where it differs from host and port; null otherwise. */
  readonly url: string | null;
  /** Trust `X-Forwarded-*` of a proxy in front. */
  readonly proxy: boolean;
  /** How many proxies in front add to `X-Forwarded-For`: the caller is that many from its end; 0: its first, which callers may forge. */
  readonly proxyIps: number;
  /** Holds `uploads/` and other files served as they are. Absolute. */
  readonly publicDir: string;
  /** Milliseconds that running requests get to end when the server is asked to stop. */
  readonly drainMs: number;
  /** Milliseconds that one request may take; 0: no limit. */
  readonly requestMs: number;
  /** Requests of one address that are worked on at the same time; 0: no limit. */
  readonly maxPerAddress: number;
  /** Bytes of large answers that may wait for slow readers. */
  readonly maxUnsentBytes: number;
  /** `GET /metrics` answers with counts and times in Prometheus' text format, to everyone who can reach it. */
  readonly metrics: boolean;
  /** Answers tell the milliseconds of their steps in `Server-Timing`. */
  readonly timing: boolean;
}
