/** The token of an `Authorization` header. Another scheme, `Bearer` alone or two words after it count as none (rules H.1). */
export const bearerToken = (header: string | undefined): string | null => {
  const parts = (header ?? '').trim().split(/\s+/);
  const [scheme, token] = parts;
  return parts.length === 2 && scheme?.toLowerCase() === 'bearer' && token ? token : null;
};
