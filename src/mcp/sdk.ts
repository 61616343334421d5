import { ConfigError } from '../config/error.js';
import { codeOf } from '../values/code-of.js';

/** The parts of the SDK in use. */
export type Sdk = Awaited<ReturnType<typeof load>>;

const load = async () => {
  const [{ Server }, types, { AjvJsonSchemaValidator }] = await Promise.all([
    import('@modelcontextprotocol/sdk/server/index.js'),
    import('@modelcontextprotocol/sdk/types.js'),
    import('@modelcontextprotocol/sdk/validation/ajv'),
  ]);
  const { CallToolRequestSchema, ListToolsRequestSchema, ErrorCode, McpError } = types;
  return {
    Server,
    CallToolRequestSchema,
    ListToolsRequestSchema,
    ErrorCode,
    McpError,
    /** Shared by all servers, each of which would otherwise create one. */
    validator: new AjvJsonSchemaValidator(),
  };
};

const isAbsent = (error: unknown): boolean => codeOf(error) === 'ERR_MODULE_NOT_FOUND';

const NEEDED =
  'agent tools require the package "@modelcontextprotocol/sdk"; npm install @modelcontextprotocol/sdk';

/** Loads a part of the SDK, an optional peer dependency. @throws ConfigError if it is not installed */
export const fromSdk = async <T>(part: () => Promise<T>): Promise<T> =>
  part().catch((error: unknown) => {
    throw isAbsent(error) ? new ConfigError([NEEDED]) : error;
  });

let loading: Promise<Sdk> | undefined;

export const loadSdk = (): Promise<Sdk> => {
  loading ??= fromSdk(load);
  return loading;
};
