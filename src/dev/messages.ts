import type { Config } from '../config/types.js';
import type { ContractSnapshot } from './contract.js';

/** Messages to a worker. */
export type Order =
  | {
      readonly do: 'start';
      readonly options: WorkerOptions;
      /** Whether to print the greeting. */
      readonly greet: boolean;
    }
  /** The database is running. `uri`: its address, if the worker cannot find it itself. */
  | { readonly do: 'open'; readonly uri: string | null }
  /** The port is free. */
  | { readonly do: 'listen' }
  | { readonly do: 'stop' };

export interface WorkerOptions {
  readonly root: string;
  readonly agreed: boolean;
  readonly seed: boolean;
  readonly port: string | null;
  readonly host: string | null;
  /** Created if it does not exist; null: only existing files are updated. */
  readonly types: string | null;
}

/** Messages from a worker. */
export type WorkerMessage =
  /** The modules are loaded, so a start does not have to wait for them. */
  | { readonly is: 'warm' }
  | { readonly is: 'database'; readonly database: Config['database'] }
  | { readonly is: 'contract'; readonly contract: ContractSnapshot }
  /** Everything is ready except the port. */
  | { readonly is: 'prepared' }
  | { readonly is: 'listening'; readonly port: number; readonly types: readonly string[] }
  /** If `waits`, the worker continues by itself once the content is migrated. */
  | { readonly is: 'failed'; readonly why: string; readonly waits: boolean };
