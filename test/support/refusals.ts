import { readdirSync, readFileSync } from 'node:fs';
import ts from 'typescript';

/** An error as written in the source: a case of `errors`, and its message with `…` for values. */
export interface Refusal {
  readonly file: string;
  readonly kind: string;
  readonly code: string;
  readonly message: string;
}

/** Modules whose errors no request causes. */
const ELSEWHERE = /^(embedded|cli|describe)\//;

const textOf = (node: ts.Expression, named: ReadonlyMap<string, string>): string | null => {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (ts.isIdentifier(node)) return named.get(node.text) ?? null;
  if (!ts.isTemplateExpression(node)) return null;
  return node.head.text + node.templateSpans.map((span) => `…${span.literal.text}`).join('');
};

const refusalsOf = (file: string): Refusal[] => {
  const source = ts.createSourceFile(file, readFileSync(`src/${file}`, 'utf8'), ts.ScriptTarget.Latest);
  const named = new Map<string, string>();
  const found: Refusal[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isVariableDeclaration(node) && ts.isIdentifier(node.name) && node.initializer) {
      const text = textOf(node.initializer, named);
      if (text !== null) named.set(node.name.text, text);
    }
    if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
      const { expression, name } = node.expression;
      const [code, message] = node.arguments;
      const isOurs = ts.isIdentifier(expression) && expression.text === 'errors';
      const [id, text] = isOurs ? [code, message].map((part) => part && textOf(part, named)) : [];
      if (id && text) found.push({ file, kind: name.text, code: id, message: text });
    }
    // Scalars that refuse with Strapi's messages tell `byCast` so too.
    if (ts.isCallExpression(node) && ts.isIdentifier(node.expression) && node.expression.text === 'misfit') {
      const [code, message] = node.arguments.map((argument) => textOf(argument, named));
      if (code && message && source.text.includes('byCast'))
        found.push({ file, kind: 'validation', code, message });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
};

/** Every error in the source with its own message. */
export const refusals = (): readonly Refusal[] =>
  readdirSync('src', { recursive: true, encoding: 'utf8' })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => file.endsWith('.ts') && !ELSEWHERE.test(file))
    .sort()
    .flatMap(refusalsOf);
