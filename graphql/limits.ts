/** What one request may ask for. The complete introspection query has 163 tokens and a depth of 13. */
export const limits = {
  /** Characters of the document: Mercurius keeps the sources it has seen. */
  maxSourceLength: 16 * 1024,
  maxTokens: 1000,
  maxDepth: 15,
  /** Validation errors told at once. */
  maxErrors: 5,
  /** Parsed documents kept. */
  keptDocuments: 256
} as const
