import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';

/** A tool's result, as far as tests look at it. */
export interface Said {
  readonly isError: boolean;
  readonly body: unknown;
  readonly structured: unknown;
}

export const connect = async (url: string, token?: string): Promise<Client> => {
  const client = new Client({ name: 'test', version: '1' });
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const transport = new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers } });
  // The SDK's own types are incompatible with exactOptionalPropertyTypes.
  await client.connect(transport as never);
  return client;
};

export const use = async (
  client: Client,
  name: string,
  args: Record<string, unknown> = {},
): Promise<Said> => {
  const { content, isError, structuredContent } = (await client.callTool({
    name,
    arguments: args,
  })) as CallToolResult;
  const [first] = content;
  return {
    isError: isError === true,
    body: first?.type === 'text' ? JSON.parse(first.text) : null,
    structured: structuredContent,
  };
};

/** The field at a dotted path. */
export const at = (value: unknown, path: string): unknown =>
  path
    .split('.')
    .reduce<unknown>(
      (inner, key) => (typeof inner === 'object' && inner !== null ? Reflect.get(inner, key) : undefined),
      value,
    );
