import type { Import } from './context.js';

export async function verify(_run: Import): Promise<void> {}
