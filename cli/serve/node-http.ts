/**
 * `node:http` without `fetch`. An `import` of it reads all its properties, and one of them loads `fetch`: 40 ms and
 * 15 MiB that the service does not need.
 */
export const { createServer, request, STATUS_CODES } = process.getBuiltinModule('node:http')
