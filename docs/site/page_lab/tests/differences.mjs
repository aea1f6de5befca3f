// Where the lab in a page says something else than the native one, each with its reason.

/** Programs of the fault gallery. */
export const GALLERY = {};
