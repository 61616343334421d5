/** A Model Context Protocol server for one caller, based on the official SDK. */
import { objectOf } from '../describe/contract/json-schema.js';
import { errors } from '../errors.js';
import { checkNesting } from '../limits/nesting.js';
import { isObject } from '../values/plain-object.js';
import { type Catalogue, createCatalogue, type KnownType } from './catalogue.js';
import { READING } from './reading.js';
import { loadSdk, type Sdk } from './sdk.js';
import { reply, type Tool, type Using } from './tool.js';
import type { Arguments, McpParts, ToolAnswer, ToolUser } from './types.js';
import { WRITING } from './writing.js';

const TOOLS: readonly Tool[] = [...READING, ...WRITING];

const toolsOf = (known: KnownType): readonly string[] =>
  TOOLS.filter(({ isFor }) => isFor?.(known)).map(({ name }) => name);

function toolboxOf(parts: McpParts, catalogue: Catalogue, user: ToolUser) {
  const view = catalogue.viewOf(user.caller);
  const types = [...view.types.values()];
  const using: Using = { parts, user, view, toolsOf };
  const typesFor = ({ isFor }: Tool): readonly KnownType[] => (isFor ? types.filter(isFor) : types);
  const usable = TOOLS.filter((tool) => !tool.required.includes('type') || typesFor(tool).length > 0);

  const run = async (tool: Tool, args: Arguments): Promise<ToolAnswer> => {
    try {
      checkNesting(args);
      const unknown = Object.keys(args).find((key) => !tool.takes.includes(key));
      if (unknown !== undefined) throw errors.invalidKey({ key: unknown, path: null });
      return await tool.run(args, using);
    } catch (error) {
      return reply(await user.refused(error));
    }
  };
  return {
    list: () =>
      usable.map((tool) => ({
        name: tool.name,
        title: tool.title,
        description: tool.description,
        annotations: tool.annotations,
        // The SDK requires object schemas.
        inputSchema: { ...objectOf(tool.input(typesFor(tool)), tool.required), type: 'object' as const },
        outputSchema: { ...tool.output, type: 'object' as const },
      })),
    /** Null if this caller has no such tool. Errors are returned as answers. */
    use(name: string, args: Arguments): Promise<ToolAnswer> | null {
      const tool = TOOLS.find((one) => one.name === name);
      return tool ? run(tool, args) : null;
    },
  };
}

export type McpServer = InstanceType<Sdk['Server']>;

/**
 * Runs `work` for the current user. Identified for each call, since permissions may change while a client is
 * connected.
 */
export type WithUser = <T>(signal: AbortSignal, work: (user: ToolUser) => Promise<T>) => Promise<T>;

/** Creates a server for each connection. */
export type NewServer = (withUser: WithUser) => Promise<McpServer>;

const INSTRUCTIONS = `Content of a Strapi-compatible CMS. list_types shows the available content and what you may do with it; describe_type describes the attributes of a type. Relations and media are documentIds and appear in responses only when populated. Writes go to the draft unless you say otherwise, and publish makes it public: ask before you do that. dryRun shows what a write would change without storing anything. For an error, "message" and "details" say what is wrong.`;

export function newServers(parts: McpParts, version: string): NewServer {
  let catalogue: Catalogue | undefined;
  return async (withUser) => {
    const sdk = await loadSdk();
    catalogue ??= createCatalogue(parts);
    return serverOf(sdk, { parts, catalogue, version }, withUser);
  };
}

interface ServerOptions {
  readonly parts: McpParts;
  readonly catalogue: Catalogue;
  readonly version: string;
}

function serverOf(sdk: Sdk, { parts, catalogue, version }: ServerOptions, withUser: WithUser): McpServer {
  const server = new sdk.Server(
    { name: 'mangrove', title: 'Mangrove', version },
    { capabilities: { tools: {} }, instructions: INSTRUCTIONS, jsonSchemaValidator: sdk.validator },
  );
  const toolsOf = (user: ToolUser) => toolboxOf(parts, catalogue, user);
  server.setRequestHandler(sdk.ListToolsRequestSchema, (_, { signal }) =>
    withUser(signal, async (user) => ({ tools: toolsOf(user).list() })),
  );
  server.setRequestHandler(sdk.CallToolRequestSchema, ({ params }, { signal }) =>
    withUser(signal, async (user) => {
      const used = toolsOf(user).use(params.name, params.arguments ?? {});
      if (!used) throw new sdk.McpError(sdk.ErrorCode.InvalidParams, `Unknown tool: ${params.name}`);
      return resultOf(await used);
    }),
  );
  return server;
}

function resultOf({ text, isError }: ToolAnswer) {
  const content = [{ type: 'text' as const, text }];
  if (isError) return { content, isError };
  const value: unknown = JSON.parse(text);
  return isObject(value) ? { content, structuredContent: value } : { content };
}
