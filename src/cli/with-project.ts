import { openProject, type Project } from '../project.js';
import type { Globals } from './globals.js';

/** Opens the project of a command, runs `work`, and closes the project in any case. */
export const withProject = async <T>(
  { root, yes }: Globals,
  work: (project: Project) => Promise<T>,
): Promise<T> => {
  const project = await openProject({ root, agreed: yes, resetRoles: false, migrations: 'ignore' });
  try {
    return await work(project);
  } finally {
    await project.close();
  }
};
