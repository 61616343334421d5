/** What a look at a live deployment finds, and what every check of it works with. */
import { storedTypes } from '../schema/find.js';
import type { ContentType, Schema } from '../schema/types.js';
import type { Store } from './client.js';
import type { Topology } from './deployment.js';

export interface Finding {
  readonly about: string;
  readonly level: 'ok' | 'warning' | 'problem';
  readonly text: string;
  /** What to do; null where there is nothing. */
  readonly advice: string | null;
}

export type Say = Omit<Finding, 'about'>;
export type Check = (look: DoctorContext) => Promise<readonly Say[]>;

export interface DoctorContext {
  readonly store: Store;
  readonly schema: Schema;
  readonly topology: Topology;
}

export const ok = (text: string): Say => ({ level: 'ok', text, advice: null });
export const warning = (text: string, advice: string): Say => ({ level: 'warning', text, advice });
export const problem = (text: string, advice: string): Say => ({ level: 'problem', text, advice });

export const ownTypes = ({ schema }: DoctorContext): readonly ContentType[] =>
  storedTypes(schema).filter(({ origin }) => origin === 'api');
