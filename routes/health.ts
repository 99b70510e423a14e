import { checkWritable } from '../db/connect.ts'
import { unavailable } from '../errors.ts'
import type { Route } from './route.ts'

const ok = { status: 'ok' }

/** Liveness: if this fails, restart the process. */
export const livez: Route = () => ({ handler: async () => ok })

/** Readiness, including the database: if this fails, send no requests here. */
export const readyz: Route = app => ({
  handler: async () => {
    await checkWritable(app.productStore).catch(error => {
      throw unavailable(error)
    })
    return ok
  }
})
