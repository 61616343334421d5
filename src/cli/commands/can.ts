import { command, refused } from '../command.js';
import { type Decision, decide } from '../decide.js';
import { termsText } from '../rule-options.js';
import { withProject } from '../with-project.js';

/** `mangrove can <caller> <method> <url>`: whether a request is allowed, and what decides. */
export const canCommand = command({
  name: 'can <caller> <method> <url>',
  does: 'show whether a caller may make a request, and which grant or rule decides; exit code 1 if not',
  help: `
The caller is public, a username, an email address, the name of a token or the type of a role.
For an entry, its rules are tested on what is stored. Nothing is changed, and no code of the project is run.

Examples:
  $ mangrove can public GET /api/articles
  $ mangrove can ann PUT /api/articles/a1b2c3d4e5f6g7h8i9j0klmn
  $ mangrove can writer POST /api/articles       what its accounts may send`,
  async run(call, name: string, method: string, url: string) {
    const data = await withProject(call, async (project) => {
      const named = await project.access.users.caller(name);
      if (!named) throw refused(`There is no account, token or role named ${name}`);
      return decide(project, named, { method, url });
    });
    return { data, text: textOf(data), failed: !data.allowed };
  },
});

function textOf({ allowed, because, route, action, rules }: Decision): string {
  const lines = [
    `${allowed ? 'yes' : 'no'}: ${because}`,
    ...(route === null ? [] : [`route   ${route}`]),
    ...(action === null ? [] : [`action  ${action}`]),
    ...rules.map(({ matches, ...terms }, at) => {
      const tested = matches === null ? '' : matches ? ' matches' : ' does not match';
      return `rule ${at + 1}  ${termsText(terms)}${tested}`;
    }),
  ];
  return lines.join('\n');
}
