import type { Config } from '../config/types.js';
import type { Contract } from './contract.js';

/** What a worker is told. */
export type Order =
  | {
      readonly do: 'start';
      readonly options: WorkerOptions;
      /** The greeting is printed. */
      readonly greet: boolean;
    }
  /** The database runs. `uri`: where, if the worker cannot find it. */
  | { readonly do: 'open'; readonly uri: string | null }
  /** Whoever served before has gone. */
  | { readonly do: 'listen' }
  | { readonly do: 'stop' };

export interface WorkerOptions {
  readonly root: string;
  readonly agreed: boolean;
  readonly seed: boolean;
  readonly port: string | null;
  readonly host: string | null;
  /** Made where it is not there; null: only an existing file is updated. */
  readonly types: string | null;
}

/** What a worker tells. */
export type Report =
  /** Its modules are loaded: a start takes no time for them. */
  | { readonly is: 'warm' }
  | { readonly is: 'database'; readonly database: Config['database'] }
  | { readonly is: 'contract'; readonly contract: Contract }
  /** Everything is in place but the port. */
  | { readonly is: 'prepared' }
  | { readonly is: 'listening'; readonly port: number; readonly types: readonly string[] }
  /** It continues on its own if `waits`: once the content is migrated. */
  | { readonly is: 'failed'; readonly why: string; readonly waits: boolean };
