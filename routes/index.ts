import { grantTypes } from '../domain/rights.ts'
import { changesGet } from './changes/index.ts'
import { page as explorerPage, file, ide } from './explorer/page.ts'
import type { FeatureServer } from './feature-server.ts'
import { graphqlGet, graphqlPost, graphqlProtocol } from './graphql/index.ts'
import { livez, readyz, startupz } from './health.ts'
import { metrics } from './metrics.ts'
import { accountGet, accountPost } from './oauth/account/index.ts'
import { passwordGet, passwordPost } from './oauth/account/password.ts'
import { authorize } from './oauth/authorize/index.ts'
import { introspect } from './oauth/introspect.ts'
import { logoutGet, logoutPost } from './oauth/logout.ts'
import { showPassword } from './oauth/pages/pages.ts'
import { oauthProtocol, pageProtocol } from './oauth/protocol.ts'
import { revoke } from './oauth/revoke.ts'
import { token } from './oauth/token.ts'
import { userinfo } from './oauth/userinfo.ts'
import { pendingResponses } from './responses/pending-responses.ts'
import type { EndpointKind, Path } from './route.ts'
import { templateSchema } from './schemas/template.ts'
import { authorizationServer, jwks, protectedResource } from './well-known.ts'

const open: EndpointKind = { auth: 'none' }
const explorer: EndpointKind = { auth: 'login page', protocol: pendingResponses, onlyWith: 'explorer' }
const loginPage: EndpointKind = { auth: 'login page', protocol: pageProtocol }
const basic: EndpointKind = { auth: 'Basic', protocol: oauthProtocol }
const basicListed: EndpointKind = { ...basic, crossOrigin: 'listed' }
/** A client asks with the token of the login, whatever resource that is for, OpenID Connect Core 1.0 §5.3. */
const userClaims: EndpointKind = {
  auth: 'Bearer',
  protocol: oauthProtocol,
  crossOrigin: 'listed',
  tokensFor: 'any'
}
const wellKnown: EndpointKind = { auth: 'none', crossOrigin: 'listed' }
const graphql: EndpointKind = { auth: 'Bearer', protocol: graphqlProtocol, crossOrigin: 'listed' }
const anyPage: EndpointKind = { auth: 'none', protocol: pendingResponses, crossOrigin: 'any' }
const changes: EndpointKind = { auth: 'Bearer', crossOrigin: 'listed' }
const scrape: EndpointKind = { auth: 'none', protocol: pendingResponses, onlyWith: 'metrics' }

const table: Record<`/${string}`, Path> = {
  '/': {
    kind: explorer,
    GET: [explorerPage, 'the explorer, a web page for people; with the option `explorer`']
  },
  '/explorer/graphql': { kind: explorer, GET: [ide, 'GraphiQL, a part of the explorer'] },
  '/explorer/:name': { kind: { ...explorer, auth: 'none' }, GET: [file, 'files of the explorer, immutable'] },
  '/oauth/authorize': {
    kind: loginPage,
    GET: [authorize, 'log a user in and send a code to the client (RFC 6749 §4.1, PKCE required)'],
    POST: [authorize, 'the same with the parameters in a form']
  },
  '/oauth/account': {
    kind: loginPage,
    GET: [accountGet, 'the account of the user: password, applications, logins'],
    POST: [accountPost, 'change the account']
  },
  '/oauth/password': {
    kind: loginPage,
    GET: [passwordGet, 'set a password by a link of `user add --link`'],
    POST: [passwordPost, 'the same']
  },
  '/oauth/logout': {
    kind: loginPage,
    GET: [logoutGet, 'ask whether to log out of the login page'],
    POST: [logoutPost, 'log out']
  },
  '/oauth/show-password.js': { kind: open, GET: [showPassword.route, 'the script of the login page'] },
  '/oauth/token': {
    kind: basicListed,
    POST: [token, `issue an access token (RFC 6749; grants ${grantTypes.join(', ')})`]
  },
  '/oauth/revoke': { kind: basicListed, POST: [revoke, 'revoke a token of the client (RFC 7009)'] },
  '/oauth/userinfo': {
    kind: userClaims,
    GET: [userinfo, 'claims about the user; requires the scope `openid` (OpenID Connect)'],
    POST: [userinfo, 'the same']
  },
  '/oauth/introspect': { kind: basic, POST: [introspect, 'introspect a token (RFC 7662)'] },
  '/.well-known/jwks.json': {
    kind: wellKnown,
    GET: [jwks, 'public keys that verify the tokens (RFC 7517)']
  },
  '/.well-known/oauth-authorization-server': {
    kind: wellKnown,
    GET: [authorizationServer, 'authorization server metadata (RFC 8414)']
  },
  '/.well-known/openid-configuration': {
    kind: wellKnown,
    GET: [authorizationServer, 'the same for OpenID Connect (Discovery 1.0)']
  },
  '/.well-known/oauth-protected-resource': {
    kind: wellKnown,
    GET: [protectedResource(''), 'protected resource metadata (RFC 9728)']
  },
  '/graphql': {
    kind: graphql,
    POST: [graphqlPost, 'GraphQL; queries and subscriptions require the scope `read`, mutations `write`'],
    GET: [graphqlGet, 'the same for queries in the URL, with an `ETag`']
  },
  '/schemas/template.json': {
    kind: anyPage,
    GET: [templateSchema, 'JSON Schema of the document of a template']
  },
  '/changes': {
    kind: changes,
    GET: [
      changesGet,
      'every committed change of the templates, as Server-Sent Events; requires the scope `read`'
    ]
  },
  '/metrics': { kind: scrape, GET: [metrics, 'metrics for Prometheus; with the option `metrics`'] },
  '/livez': { kind: open, GET: [livez, 'liveness: the process responds'] },
  '/startupz': { kind: open, GET: [startupz, 'the start has finished'] },
  '/readyz': {
    kind: open,
    GET: [readyz, 'readiness: the database responds and takes writes, the service is not shutting down']
  }
}

/** Lists the endpoints of the core and of these features. */
export function listEndpoints(features: FeatureServer[]) {
  const all: typeof table = Object.assign({}, table, ...features.map(({ endpoints }) => endpoints))
  return Object.entries(all).map(([path, { kind, ...methods }]) => ({ ...kind, path, methods }))
}
