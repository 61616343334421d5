const PATH = /^\/mcp\/?$/i;

/** Whether a request is a message to the tools for agents. */
export const isForTools = (path: string): boolean => PATH.test(path);
