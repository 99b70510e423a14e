/** Seconds that clients may cache the JWK set. A key is published this long before it signs. */
export const jwksMaxAge = 300
