import { loadConfig } from '../config/load.js';
import type { Config } from '../config/types.js';
import { type ProjectFiles, readProject } from '../project.js';
import { noteWarnings } from '../terminal/output.js';

/** Placeholder for secrets that are not used. */
const UNUSED = 'nothing is signed with this secret';

/** The configuration of a project, for commands that need no secrets: none are generated or read. */
export const loadSettings = (root: string): Promise<Config> =>
  loadConfig(root, { JWT_SECRET: UNUSED, API_TOKEN_SALT: UNUSED, ...process.env });

/** The config, schemas and code of a project, for commands that need no database. Warnings go to stderr. */
export const loadProjectSchema = async (root: string): Promise<ProjectFiles> =>
  readProject(root, noteWarnings(await loadSettings(root)));
