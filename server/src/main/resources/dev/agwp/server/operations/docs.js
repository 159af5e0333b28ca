// Depth 2 shows what a message holds without a click for each level.
SwaggerUIBundle({
  url: "/docs/openapi.json",
  dom_id: "#reference",
  deepLinking: true,
  defaultModelExpandDepth: 2,
  displayRequestDuration: true,
  validatorUrl: null,
});
