import type { FastifyPluginAsync } from 'fastify'
import { parseServiceOptions, type ServiceOptions } from './options/index.ts'
import { bearerAuth } from './plugins/bearer-auth.ts'
import { changeFeed } from './plugins/change-feed.ts'
import { clientAuth } from './plugins/client-auth.ts'
import { errorHandler, formatHttpError } from './plugins/error-handler.ts'
import { featureServers } from './plugins/feature-servers.ts'
import { headers } from './plugins/headers.ts'
import { maintenance } from './plugins/maintenance.ts'
import { metrics, storeMetrics } from './plugins/metrics.ts'
import { store } from './plugins/store.ts'
import { tokens } from './plugins/tokens.ts'
import { workerThreads } from './plugins/worker-threads.ts'
import { routes } from './routes/register.ts'
import { compileValidator } from './runtime/validator.ts'

/**
 * The service as an encapsulated Fastify plugin. Its decorators and hooks stay in its scope, and it closes everything
 * that it opens. Throws StartError for invalid options or an unusable database.
 */
export const productTemplates: FastifyPluginAsync<ServiceOptions> = async (app, given) => {
  const {
    db,
    authenticate,
    explorer,
    metrics: servesMetrics,
    metricsRegistry,
    tracer,
    ...settings
  } = parseServiceOptions(given)

  await app.register(metrics, { metrics: metricsRegistry })
  app.setValidatorCompiler(compileValidator)
  await app.register(errorHandler, { body: formatHttpError })
  await app.register(headers, settings)

  await app.register(store, { ...settings, db })
  await app.register(storeMetrics)
  await app.register(workerThreads, settings)
  await app.register(tokens, settings)
  await app.register(clientAuth)
  await app.register(bearerAuth, { authenticate })
  await app.register(maintenance, settings)
  await app.register(changeFeed)
  await app.register(featureServers, { ...settings, tracer })

  await app.register(routes, { ...settings, explorer, metrics: servesMetrics })
}
