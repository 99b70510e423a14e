import { ping } from '../db/connect.ts'
import { unavailable } from '../errors.ts'
import type { Route } from './route.ts'

const ok = { status: 'ok' }

/** The process answers: a failing probe means it should be restarted. */
export const livez: Route = () => ({ handler: async () => ok })

/** The database answers too: a failing probe means no requests should be sent here. */
export const readyz: Route = app => ({
  handler: async () => {
    await ping(app.productStore).catch(error => {
      throw unavailable(error)
    })
    return ok
  }
})
