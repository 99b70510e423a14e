let count = 0

/** The same request with other bytes, so that no response is kept for it. */
export const makeUnique = <Request extends { query: string }>(request: Request): Request => ({
  ...request,
  query: `${request.query}\n# ${count++}`
})
