/** Returns an object that is like another one except for some properties. */
export const derive = <Base extends object>(
  base: Base,
  properties: { [Name in keyof Base]?: unknown }
): Base => Object.create(base, Object.getOwnPropertyDescriptors(properties))
