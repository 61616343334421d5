import { ConfigError } from '../config/error.js';
import type { Config } from '../config/types.js';
import { ApiError } from '../errors.js';
import type { Schema } from '../schema/types.js';
import { FILE_UID } from '../schema/uids.js';
import { reasonOf } from '../values/reason-of.js';
import { allowing } from './addresses.js';
import { type Endpoint, endpointProblems, endpointsOf } from './endpoint.js';
import type { WebhookParts } from './parts.js';
import { entryRequest } from './payload.js';

/** What is wrong with the settings of webhooks, without a database. */
export function webhookProblems({ webhooks }: Pick<Config, 'webhooks'>, schema: Schema): readonly string[] {
  const { endpoints, allowPrivate } = webhooks;
  const problems = Object.entries(endpoints).flatMap(([name, definition]) =>
    endpointProblems(name, definition, schema).map((problem) => `config/webhooks › ${problem}`),
  );
  try {
    allowing(allowPrivate);
  } catch (error) {
    problems.push(`config/server › webhooks.allowPrivate: ${reasonOf(error)}`);
  }
  return problems;
}

/** The same for what an endpoint populates, in each of its types. */
export function projectionProblems(
  { schema, reader, config }: Pick<WebhookParts, 'schema' | 'reader' | 'config'>,
  endpoint: Endpoint,
): readonly string[] {
  const { name, types } = endpoint;
  return [...schema.contentTypes.values()].flatMap((type) => {
    const isMeant = types ? types.includes(type.uid) : type.origin === 'api' && type.uid !== FILE_UID;
    if (!isMeant) return [];
    const { populateRelations } = config.webhooks;
    try {
      reader.prepare({
        ...entryRequest(type, endpoint, { locale: null, status: 'published' }, populateRelations),
        target: 'one',
      });
      return [];
    } catch (error) {
      if (error instanceof ApiError) return [`${name}: ${type.uid}: ${error.message}`];
      throw error;
    }
  });
}

/** @throws ConfigError for what is wrong with config/webhooks */
export function checkWebhooks(parts: Pick<WebhookParts, 'schema' | 'reader' | 'config'>): void {
  const problems = [...webhookProblems(parts.config, parts.schema)];
  if (problems.length === 0)
    for (const endpoint of endpointsOf(parts.config.webhooks.endpoints, []))
      problems.push(...projectionProblems(parts, endpoint).map((problem) => `config/webhooks › ${problem}`));
  if (problems.length > 0) throw new ConfigError(problems);
}
