import type { ProjectDefinition } from './types.js';

/** Shared by every copy of the package that a process may have loaded. */
const DEFINED = Symbol.for('mangrove.project');

/** Marks a definition, so that nothing else that a file exports is taken for one. */
export const define = <D>(definition: ProjectDefinition<D>): ProjectDefinition<D> =>
  Object.assign({ ...definition }, { [DEFINED]: true });

export const isDefined = (value: unknown): value is ProjectDefinition =>
  typeof value === 'object' && value !== null && DEFINED in value;
