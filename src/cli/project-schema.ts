import { loadConfig } from '../config/load.js';
import type { Config } from '../config/types.js';
import { type EventLog, standardErrorLog } from '../events/event-log.js';
import {
  loggingOf,
  type ProjectFiles,
  readProject,
  readSchemaAndCode,
  type SchemaAndCode,
  withRegistered,
} from '../project.js';
import { noteWarnings } from '../terminal/output.js';

/** Placeholder for secrets that are not used. */
const UNUSED = 'nothing is signed with this secret';

/** The configuration of a project, for commands that need no secrets: none are generated or read. */
export const loadSettings = (root: string): Promise<Config> =>
  loadConfig(root, { JWT_SECRET: UNUSED, API_TOKEN_SALT: UNUSED, ...process.env });

const loggerOf = (config: Config): EventLog['logger'] => standardErrorLog(loggingOf(config)).logger;

/** The config, schemas and code of a project, for commands that need no database. Warnings go to stderr. */
export async function loadProjectSchema(root: string): Promise<ProjectFiles> {
  const config = noteWarnings(await loadSettings(root));
  return withRegistered(await readProject(root, config), loggerOf(config));
}

/** The schema with which a server of this project would start. */
export const loadSchemaAndCode = async (root: string, config: Config): Promise<SchemaAndCode> =>
  withRegistered(await readSchemaAndCode(root, config), loggerOf(config));
