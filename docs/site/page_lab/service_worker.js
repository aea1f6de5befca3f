// Keeps the lab: what has a version in its address (files.mjs) comes from the cache, everything else from
// the network, and from the cache if there is none.
const CACHE = 'page-lab';

self.addEventListener('install', () => self.skipWaiting());
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));

self.addEventListener('fetch', (event) => {
  const { request } = event;
  // A caller that asks for it not to be stored stores it itself (files.mjs).
  if (request.cache === 'no-store')
    return event.respondWith(caches.match(request).then((found) => found ?? fetch(request)));
  if (request.method !== 'GET' || new URL(request.url).origin !== self.location.origin) return;
  event.respondWith(new URL(request.url).searchParams.has('v') ? kept(event) : fresh(event));
});

/** What the page had loaded before there was a service worker: {keep: [addresses]}. */
self.addEventListener('message', (event) => {
  const keep = async (address) => {
    const cache = await caches.open(CACHE);
    if (!(await cache.match(address))) await cache.add(address);
  };
  event.waitUntil(Promise.allSettled(event.data.keep.map(keep)));
});

async function kept(event) {
  const { request } = event;
  const cache = await caches.open(CACHE);
  const found = await cache.match(request);
  if (found) return found;
  const answer = await fetch(request);
  if (answer.ok) {
    const copy = answer.clone();
    event.waitUntil(removeOlder(cache, request.url).then(() => cache.put(request, copy)));
  }
  return answer;
}

async function fresh(event) {
  const { request } = event;
  const cache = await caches.open(CACHE);
  try {
    const answer = await fetch(request);
    if (answer.ok) event.waitUntil(cache.put(request, answer.clone()));
    return answer;
  } catch (error) {
    const found = await cache.match(request, { ignoreSearch: true });
    if (found) return found;
    throw error;
  }
}

/** The same file of another version. */
async function removeOlder(cache, address) {
  const path = new URL(address).pathname;
  for (const request of await cache.keys())
    if (new URL(request.url).pathname === path) await cache.delete(request);
}
