import type { ProjectCode } from '../code/types.js';
import { loadConfig } from '../config/load.js';
import type { Config } from '../config/types.js';
import { readCode } from '../project.js';
import { loadDefinition } from '../project-code/load.js';
import type { OwnCode } from '../project-code/types.js';
import { loadSchema } from '../schema/load.js';
import type { Schema } from '../schema/types.js';
import { noteEvent } from '../terminal/output.js';

/** Secrets that nothing is signed with. */
const UNUSED = 'nothing is signed with this secret';

/** The config of a project, for commands that need no secrets: none are generated or read. */
export const loadSettings = (root: string): Promise<Config> =>
  loadConfig(root, { JWT_SECRET: UNUSED, API_TOKEN_SALT: UNUSED, ...process.env });

/** The config and schemas of a project, for commands that need no database. Warnings go to stderr. */
export async function loadProjectSchema(root: string): Promise<{
  config: Config;
  schema: Schema;
  code: ProjectCode;
  own: Pick<OwnCode, 'definition'>;
}> {
  const config = await loadSettings(root);
  for (const warning of config.warnings) noteEvent(warning);
  const { privateAttributes } = config.responses;
  const schema = await loadSchema({ folder: root, privateAttributes, customFields: config.customFields });
  const definition = await loadDefinition(root, schema);
  const code = await readCode(root, { config, schema, definition });
  return { config, schema, code, own: { definition } };
}
