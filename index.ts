import './node-version.ts'

export { openDatabase } from './db/connect.ts'
export { postgresTypes } from './db/dialects/postgres/types.ts'
export { ArgumentError, PublicError, StartError } from './errors.ts'
export { Metrics } from './metrics/metrics.ts'
export type { Authenticate, HostCaller } from './options/authenticate.ts'
export type { ServiceOptions } from './options.ts'
export { productTemplates, productTemplates as default } from './service.ts'
