/** The tools of one caller: those that it may use on any content type, and what happens when one is used. */
import { record } from '../describe/contract/json-schema.js';
import type { JsonSchema } from '../describe/contract/types.js';
import { errors } from '../errors.js';
import { checkNesting } from '../limits/nesting.js';
import type { Catalogue, KnownType } from './catalogue.js';
import { READING } from './reading.js';
import { type Annotations, type Tool, told, type Using } from './tool.js';
import type { Arguments, McpParts, ToolAnswer, ToolUser } from './types.js';
import { WRITING } from './writing.js';

const TOOLS: readonly Tool[] = [...READING, ...WRITING];

/** A tool as it is listed. */
export interface ListedTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly outputSchema: JsonSchema;
  readonly annotations: Annotations;
}

export interface Toolbox {
  list(): readonly ListedTool[];
  /** Null: there is no such tool for this caller. A refusal is an answer. */
  use(name: string, args: Arguments): Promise<ToolAnswer> | null;
}

const toolsOf = (known: KnownType): readonly string[] =>
  TOOLS.filter(({ isFor }) => isFor?.(known)).map(({ name }) => name);

export function toolboxOf(parts: McpParts, catalogue: Catalogue, user: ToolUser): Toolbox {
  const view = catalogue.viewOf(user.caller);
  const types = [...view.types.values()];
  const using: Using = { parts, catalogue, user, view, toolsOf };
  const typesFor = ({ isFor }: Tool): readonly KnownType[] => (isFor ? types.filter(isFor) : types);
  const usable = TOOLS.filter((tool) => !tool.required.includes('type') || typesFor(tool).length > 0);

  const run = async (tool: Tool, args: Arguments): Promise<ToolAnswer> => {
    try {
      checkNesting(args);
      const unknown = Object.keys(args).find((key) => !tool.takes.includes(key));
      if (unknown !== undefined) throw errors.invalidKey({ key: unknown, path: null });
      return await tool.run(args, using);
    } catch (error) {
      return told(await user.refused(error));
    }
  };
  return {
    list: () =>
      usable.map((tool) => ({
        name: tool.name,
        title: tool.title,
        description: tool.description,
        inputSchema: record(tool.input(typesFor(tool)), tool.required),
        outputSchema: tool.output,
        annotations: tool.annotations,
      })),
    use(name, args) {
      const tool = TOOLS.find((one) => one.name === name);
      return tool ? run(tool, args) : null;
    },
  };
}
