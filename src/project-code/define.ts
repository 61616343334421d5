import type { ProjectDefinition } from './types.js';

/** Shared by all copies of the package that a process has loaded. */
const DEFINED = Symbol.for('mangrove.project');

/** Marks a definition, to distinguish it from other exports. */
export const define = <D>(definition: ProjectDefinition<D>): ProjectDefinition<D> =>
  Object.assign({ ...definition }, { [DEFINED]: true });

export const isDefined = (value: unknown): value is ProjectDefinition =>
  typeof value === 'object' && value !== null && DEFINED in value;
