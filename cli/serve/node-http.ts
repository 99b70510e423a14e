/**
 * `node:http` without `fetch`. An `import` of `node:http` reads all its properties, and one of them loads `fetch`,
 * which takes 40 ms and 15 MiB.
 */
export const { createServer, request, STATUS_CODES } = process.getBuiltinModule('node:http')
